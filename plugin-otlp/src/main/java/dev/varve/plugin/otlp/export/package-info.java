/** What works with OpenTelemetry's libraries; loaded together with them. */
package dev.varve.plugin.otlp.export;
