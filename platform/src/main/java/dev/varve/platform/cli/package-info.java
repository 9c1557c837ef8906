/** The command line, and the only package that writes to the terminal. */
package dev.varve.platform.cli;
