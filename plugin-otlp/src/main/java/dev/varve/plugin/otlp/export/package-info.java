/** The part of the plugin that uses OpenTelemetry's libraries; loaded together with them. */
package dev.varve.plugin.otlp.export;
