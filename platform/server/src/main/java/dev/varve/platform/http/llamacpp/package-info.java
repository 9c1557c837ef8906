/**
 * What users of llama.cpp's server bring along beside OpenAI's routes: {@code /completion} with its
 * own names and shapes. Knows neither sockets nor threads.
 */
package dev.varve.platform.http.llamacpp;
