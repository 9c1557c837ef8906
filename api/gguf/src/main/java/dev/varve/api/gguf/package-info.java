/**
 * Reader of GGUF model files. The parser is strict and bounded: a bad file ends in one {@link
 * dev.varve.api.gguf.ModelFormatException}, before anything is allocated in proportion to an
 * untrusted number.
 *
 * <p>Stable: a plugin that is built against it keeps working.
 */
package dev.varve.api.gguf;
