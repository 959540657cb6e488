"""softrock.codeobj"""
