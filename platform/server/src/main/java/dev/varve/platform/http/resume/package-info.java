/**
 * Streams that outlive their connection: {@link
 * dev.varve.platform.http.resume.ResumableStreamStore} keeps the last events of each for a while,
 * so that a client whose connection broke can resume. The number of streams and their bytes are
 * bounded.
 */
package dev.varve.platform.http.resume;
