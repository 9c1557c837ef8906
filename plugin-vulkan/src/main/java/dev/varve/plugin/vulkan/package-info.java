/**
 * The Vulkan backend: checks the drivers of the machine first, since ggml ends the process if it
 * cannot use a device.
 */
package dev.varve.plugin.vulkan;
