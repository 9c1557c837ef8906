/**
 * The HTTP server. {@link dev.varve.platform.http.HttpServer} listens; a request is let in from its
 * headers alone, its body is read without a thread, and then its route, a servlet, answers on a
 * virtual thread that may block. {@link dev.varve.platform.http.ApiRoutes} lists the routes.
 *
 * <p>The rooms below know nothing of routes, and each only those behind it in this list:
 *
 * <ul>
 *   <li>{@code ollama}, {@code llamacpp}, {@code responses}, {@code anthropic}: dialects, their
 *       bodies and the shapes of their answers
 *   <li>{@code openai}: likewise chat and text completions, whose parts the others use
 *   <li>{@code conversation}: what all dialects have in common, from a body to the engine's request
 *   <li>{@code answer}: brings what the engine generates to a client
 *   <li>{@code resume}: streams whose clients may come back
 *   <li>{@code serving}: which models there are, which are loaded, and which one a request means
 *   <li>{@code model}: the model that is served, and what clients are told of it
 *   <li>{@code access}, {@code tls}: who may call, and what the server shows of itself
 *   <li>{@code metrics}: what {@code /metrics} says
 *   <li>{@code json}: fields, errors and JSON itself
 * </ul>
 */
package dev.varve.platform.http;
