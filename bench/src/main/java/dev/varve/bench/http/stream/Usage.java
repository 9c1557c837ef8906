package dev.varve.bench.http.stream;

/** What a server says that it computed: tokens of the prompt and of the answer. */
public record Usage(int promptTokens, int completionTokens) {}
