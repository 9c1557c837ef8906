/**
 * Calls into libraries of the operating system, for plugins: a backend looks at its driver before
 * ggml loads it, since ggml ends the process over what it does not like.
 *
 * <p>A plugin needs no access to native code of its own for that. Start with {@link
 * dev.varve.api.nativecall.SystemLibrary#open}: it calls functions whose arguments and results are
 * numbers, pointers and memory. Memory is checked and freed here; whether the arguments fit the
 * function's prototype nobody can check, and a wrong call may end the process.
 *
 * <p>May change with every release.
 */
package dev.varve.api.nativecall;
