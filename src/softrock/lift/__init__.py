"""softrock.lift"""
