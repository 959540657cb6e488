"""softrock.compiler"""
