"""softrock.core"""
