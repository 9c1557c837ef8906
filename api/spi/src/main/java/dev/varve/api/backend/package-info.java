/**
 * SPI of a device backend: a plugin finds the devices of one kind (CPU, CUDA, …) and opens them for
 * computing.
 *
 * <p>May change with every release.
 */
package dev.varve.api.backend;
