/**
 * Measures any server with OpenAI's API under load over HTTP, from the view of its clients, alone
 * or in turn with a second server.
 *
 * <p>{@link dev.varve.bench.http.HttpBench} is the command. A {@code Trial} measures one round of a
 * scenario and gives a {@code Sample} of figures; {@code Rounds} repeats it on all sides. {@code
 * stream} asks, and stamps each line of an answer when it comes from the network. The generator
 * waits without polling and has two threads for the network, since it takes its time from the cores
 * of the server that it measures.
 */
package dev.varve.bench.http;
