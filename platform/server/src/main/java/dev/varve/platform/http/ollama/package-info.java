/**
 * Ollama's API, for editors that support no other: {@code /api/chat}, {@code /api/generate} and the
 * lists of models. A body is translated into the fields of chat completions, which the dialect of
 * chat completions reads. Does not depend on sockets or threads.
 */
package dev.varve.platform.http.ollama;
