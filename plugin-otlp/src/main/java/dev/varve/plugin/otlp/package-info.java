/** Plugin that sends traces to a collector; its libraries are loaded at the first use. */
package dev.varve.plugin.otlp;
