package dev.varve.platform.vision;

/**
 * Size of the canvas on which an encoder sees an image, in pixels.
 *
 * @param width multiple of the rule's alignment
 * @param height multiple of the rule's alignment
 */
public record CanvasSize(int width, int height) {}
