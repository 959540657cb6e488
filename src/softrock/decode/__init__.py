"""softrock.decode"""
