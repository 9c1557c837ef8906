/**
 * Calls into libraries of the operating system, for plugins. A backend checks its driver before
 * ggml loads it, because ggml ends the process if the driver is unsuitable.
 *
 * <p>With this package a plugin needs no native access of its own. Start with {@link
 * dev.varve.api.nativecall.SystemLibrary#open}: it calls functions whose arguments and results are
 * numbers, pointers and memory. This package checks and frees the memory. It cannot check whether
 * the arguments fit the function's prototype, and a wrong call may end the process.
 *
 * <p>May change with every release.
 */
package dev.varve.api.nativecall;
