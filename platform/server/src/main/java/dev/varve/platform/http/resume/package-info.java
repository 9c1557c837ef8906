/**
 * Streams that outlive their connection: {@link
 * dev.varve.platform.http.resume.ResumableStreamStore} keeps the last events of each for a while,
 * so that a client whose connection broke can go on reading where it was. Everything that is kept
 * is bounded.
 */
package dev.varve.platform.http.resume;
