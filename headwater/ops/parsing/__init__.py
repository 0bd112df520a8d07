"""Op families: parsing of text records and protos into tensors."""
