"""softrock.jit"""
