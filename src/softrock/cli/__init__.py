"""softrock.cli"""
