"""softrock.inspect"""
