/** Help for plugins with libraries of their own. */
package dev.varve.api.plugin;
