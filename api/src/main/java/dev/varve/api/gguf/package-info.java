/**
 * Reader of GGUF model files. The parser is strict and bounded: a bad file ends in one {@link
 * dev.varve.api.gguf.ModelFormatException}, before anything is allocated in proportion to an
 * untrusted number.
 */
package dev.varve.api.gguf;
