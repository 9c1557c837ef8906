/** The CUDA backend. It checks the driver and CUDA libraries of the system before it is loaded. */
package dev.varve.plugin.cuda;
