"""softrock.abi"""
