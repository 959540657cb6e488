"""softrock.memory"""
