"""softrock.gpu"""
