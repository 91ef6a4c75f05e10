"""What lowtide reads in JAX, by the names and with the results of JAX 0.8."""
