/** The CUDA backend. Driver and CUDA libraries of the system are looked for before it is loaded. */
package dev.varve.plugin.cuda;
