/**
 * The HTTP server. {@link HttpServer} listens; a request is admitted by its headers alone, its body
 * is read without a thread, and then its route, a servlet, handles it on a virtual thread that may
 * block.
 *
 * <ul>
 *   <li>{@link HttpServer}, {@link CompressionProxyServer}, {@link HttpOptions}: a server with a
 *       model, and one that forwards to another server;
 *   <li>{@link JettyServer}, {@link AdmissionHandler}, {@link SlashNormalizingHandler}: the
 *       handlers before a route;
 *   <li>{@link ApiRoutes}, {@link ProxyRoutes}: the routes, as a {@link RouteTable};
 *   <li>{@code ...Route}, {@link ActiveRequestEndpoints}, {@link PrefixCacheEndpoints}: each a
 *       {@link Route} or the content of one;
 *   <li>{@link RequestLifecycle}, {@link RequestDrain}: the steps that all routes share.
 * </ul>
 *
 * <p>They are one package because a route is a servlet and also has the properties by which the
 * handlers admit a request; {@link Exchange} passes the admitted request from one to the other.
 * Only the servers and their options are public.
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
