/**
 * Chat templates: an interpreter for the Jinja dialect that model files carry, written for hostile
 * input.
 *
 * <p>{@link dev.varve.platform.template.ChatTemplate} compiles a source once and renders it many
 * times. A template reaches nothing but the variables it is given: values are plain data, every
 * step, nesting level and character is counted against {@link
 * dev.varve.platform.template.TemplateLimits}. The result remembers which characters the template
 * wrote and which came from the caller, so that text of a user can never become a special token.
 */
package dev.varve.platform.template;
