"""softrock.exec"""
