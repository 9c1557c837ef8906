/**
 * Binding of ggml through the Foreign Function &amp; Memory API. The only package that links native
 * code; {@code MemorySegment} stays inside. Every wrapper validates in Java what ggml would assert,
 * since a failed assertion ends the process.
 *
 * <p>May change with every release.
 */
package dev.varve.api.ggml;
