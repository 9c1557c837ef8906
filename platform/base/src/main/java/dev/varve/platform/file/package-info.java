/** Replacement of files that other processes may read. */
package dev.varve.platform.file;
