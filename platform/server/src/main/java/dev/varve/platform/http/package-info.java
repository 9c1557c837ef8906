/**
 * The HTTP server. {@link dev.varve.platform.http.HttpServer} listens; a request is admitted by its
 * headers alone, its body is read without a thread, and then its route, a servlet, handles it on a
 * virtual thread that may block. {@link dev.varve.platform.http.ApiRoutes} lists the routes.
 *
 * <p>The subpackages do not depend on routes, and each depends only on those after it in this list:
 *
 * <ul>
 *   <li>{@code ollama}, {@code llamacpp}, {@code responses}, {@code anthropic}: dialects, their
 *       request bodies and response formats
 *   <li>{@code openai}: chat and text completions, whose parts the other dialects use
 *   <li>{@code conversation}: the code that all dialects share, from a body to the engine's request
 *   <li>{@code answer}: delivers generated tokens to clients
 *   <li>{@code resume}: streams that clients may resume
 *   <li>{@code serving}: which models exist, which are loaded, and which one a request names
 *   <li>{@code model}: the served model, and the facts that clients receive about it
 *   <li>{@code access}, {@code tls}: access rules, and the server's certificate
 *   <li>{@code metrics}: the contents of {@code /metrics}
 *   <li>{@code json}: fields, errors, parsing and writing
 * </ul>
 */
package dev.varve.platform.http;
