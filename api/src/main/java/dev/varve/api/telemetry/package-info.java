/**
 * Traces of requests, for those who collect them. The platform records what became of a request and
 * hands it over when it has ended; a plugin that provides {@link
 * dev.varve.api.telemetry.TraceExporterProvider} sends it on.
 */
package dev.varve.api.telemetry;
