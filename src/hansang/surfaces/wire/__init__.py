"""The DynamoDB JSON 1.0 endpoint: HTTP in front of any backend."""
