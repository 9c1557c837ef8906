/**
 * Traces of requests, for trace collectors. The platform records each request and exports its trace
 * when the request has ended; a plugin that provides {@link
 * dev.varve.api.telemetry.TraceExporterProvider} sends it.
 */
package dev.varve.api.telemetry;
