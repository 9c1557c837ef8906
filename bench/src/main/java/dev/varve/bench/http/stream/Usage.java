package dev.varve.bench.http.stream;

/** Tokens of the prompt and of the answer, as the server reports them. */
public record Usage(int promptTokens, int completionTokens) {}
