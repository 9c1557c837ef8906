/**
 * llama.cpp's {@code /completion}, with its own field names and response format. Does not depend on
 * sockets or threads.
 */
package dev.varve.platform.http.llamacpp;
