/**
 * The Vulkan backend: looks at the drivers of the machine first, since ggml ends the process over
 * devices that it cannot use.
 */
package dev.varve.plugin.vulkan;
