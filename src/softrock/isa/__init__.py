"""softrock.isa"""
