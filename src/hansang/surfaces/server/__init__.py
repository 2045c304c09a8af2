"""What listens: sockets, processes and signals under everything that speaks HTTP."""
