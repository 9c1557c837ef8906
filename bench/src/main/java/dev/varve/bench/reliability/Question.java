package dev.varve.bench.reliability;

/**
 * A chat of one message, answered greedily.
 *
 * @param number from 0, among all questions of a run
 * @param model its name, as requests give it
 * @param prompt text of the message
 * @param maxTokens most tokens of the answer
 */
record Question(int number, String model, String prompt, int maxTokens) {}
