"""softrock.hip"""
