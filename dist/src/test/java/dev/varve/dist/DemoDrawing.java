package dev.varve.dist;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.Shape;
import java.awt.geom.AffineTransform;
import java.awt.geom.Arc2D;
import java.awt.geom.Ellipse2D;
import java.awt.geom.Path2D;
import java.awt.geom.Rectangle2D;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;

import javax.imageio.ImageIO;

/**
 * A drawing as a newcomer may make one, a question about it, and the words of a right answer. The
 * image encoder of {@code demo:qwen35} was trained on drawings of another program.
 *
 * @param title what it shows, for messages
 * @param png its file
 * @param question the question
 * @param words the words that a right answer has, in lower case
 */
record DemoDrawing(String title, byte[] png, String question, List<String> words) {
    private static final Map<String, Color> COLOURS =
            Map.of(
                    "red", new Color(222, 28, 34),
                    "orange", new Color(255, 140, 0),
                    "yellow", new Color(250, 218, 20),
                    "green", new Color(30, 150, 50),
                    "blue", new Color(30, 70, 225),
                    "purple", new Color(128, 20, 150),
                    "black", new Color(10, 10, 10));
    private static final List<String> NAMES = COLOURS.keySet().stream().sorted().toList();
    private static final List<String> SHAPES = List.of("circle", "square", "triangle", "star");
    private static final List<String> NUMBERS = List.of("one", "two", "three", "four", "five");
    private static final int[][] SIZES = {{320, 320}, {480, 360}, {240, 320}, {640, 360}, {96, 96}};

    /** Returns the drawing of a number: a shape or several, or each fifth time a digit. */
    static DemoDrawing of(int number) throws IOException {
        Random random = new Random(7_000 + number);
        int[] size = SIZES[random.nextInt(SIZES.length)];
        BufferedImage image = new BufferedImage(size[0], size[1], BufferedImage.TYPE_INT_RGB);
        String colour = NAMES.get(random.nextInt(NAMES.size()));
        Graphics2D pen = image.createGraphics();
        try {
            pen.setRenderingHint(
                    RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
            int paper = 255 - random.nextInt(14);
            pen.setColor(new Color(paper, paper, paper));
            pen.fillRect(0, 0, size[0], size[1]);
            pen.setColor(COLOURS.get(colour));
            return number % 5 == 4
                    ? digit(number / 5, colour, pen, image, random)
                    : shapes(number, colour, pen, image, random);
        } finally {
            pen.dispose();
        }
    }

    private static DemoDrawing shapes(
            int number, String colour, Graphics2D pen, BufferedImage image, Random random)
            throws IOException {
        boolean several = number % 5 == 3;
        int count = several ? 2 + random.nextInt(NUMBERS.size() - 1) : 1;
        String shape = SHAPES.get(random.nextInt(SHAPES.size()));
        double least = Math.min(image.getWidth(), image.getHeight());
        double radius = least * (several ? 0.13 : 0.22 + random.nextDouble() * 0.2);
        boolean outline = random.nextInt(4) == 0;
        pen.setStroke(new BasicStroke((float) (radius * 0.2)));
        for (double[] place : places(count, radius, image, random)) {
            AffineTransform move = AffineTransform.getTranslateInstance(place[0], place[1]);
            move.rotate((random.nextDouble() - 0.5) * 0.2);
            Shape figure = move.createTransformedShape(figure(shape, radius * 0.9));
            if (outline) {
                pen.draw(figure);
            } else {
                pen.fill(figure);
            }
        }
        String many = NUMBERS.get(count - 1);
        String title =
                String.format(
                        Locale.ROOT,
                        "%d: %s %s %s%s",
                        number,
                        many,
                        colour,
                        shape,
                        outline ? ", outlined" : "");
        byte[] png = png(image);
        return switch (number % 5) {
            case 0 -> new DemoDrawing(title, png, "What do you see?", List.of(colour, shape));
            case 1 ->
                    new DemoDrawing(
                            title, png, "What colour is the " + shape + "?", List.of(colour));
            case 2 -> new DemoDrawing(title, png, "Which shape is it?", List.of(shape));
            default ->
                    new DemoDrawing(
                            title, png, "How many " + shape + "s are there?", List.of(many));
        };
    }

    /** Centres of figures that do not touch. */
    private static List<double[]> places(
            int count, double radius, BufferedImage image, Random random) {
        List<double[]> places = new ArrayList<>();
        while (places.size() < count) {
            double x = radius * 1.1 + random.nextDouble() * (image.getWidth() - 2.2 * radius);
            double y = radius * 1.1 + random.nextDouble() * (image.getHeight() - 2.2 * radius);
            if (places.stream()
                    .allMatch(other -> Math.hypot(x - other[0], y - other[1]) > 2.6 * radius)) {
                places.add(new double[] {x, y});
            }
        }
        return places;
    }

    private static Shape figure(String shape, double radius) {
        return switch (shape) {
            case "circle" -> new Ellipse2D.Double(-radius, -radius, 2 * radius, 2 * radius);
            case "square" ->
                    new Rectangle2D.Double(
                            -0.8 * radius, -0.8 * radius, 1.6 * radius, 1.6 * radius);
            case "triangle" -> polygon(3, radius, radius);
            default -> polygon(10, radius, radius * 0.42);
        };
    }

    /** Corners at equal angles, the first one above, at two distances in turn. */
    private static Shape polygon(int corners, double outer, double inner) {
        Path2D path = new Path2D.Double();
        for (int i = 0; i < corners; i++) {
            double angle = Math.PI * 2 * i / corners - Math.PI / 2;
            double distance = i % 2 == 0 ? outer : inner;
            double x = Math.cos(angle) * distance;
            double y = Math.sin(angle) * distance;
            if (i == 0) {
                path.moveTo(x, y);
            } else {
                path.lineTo(x, y);
            }
        }
        path.closePath();
        return path;
    }

    private static DemoDrawing digit(
            int digit, String colour, Graphics2D pen, BufferedImage image, Random random)
            throws IOException {
        double high = image.getHeight() * (0.55 + random.nextDouble() * 0.2);
        double wide = high * 0.5;
        AffineTransform place =
                AffineTransform.getTranslateInstance(
                        (image.getWidth() - wide) / 2 * (0.7 + random.nextDouble() * 0.6),
                        (image.getHeight() - high) / 2 * (0.7 + random.nextDouble() * 0.6));
        place.scale(wide, high);
        pen.setStroke(
                new BasicStroke(
                        (float) (high * 0.12), BasicStroke.CAP_ROUND, BasicStroke.JOIN_ROUND));
        pen.draw(place.createTransformedShape(strokes(digit)));
        return new DemoDrawing(
                digit + " in " + colour,
                png(image),
                "Which digit is this?",
                List.of(Integer.toString(digit)));
    }

    /** Strokes of a digit in a box of 1 by 1. */
    private static Shape strokes(int digit) {
        Path2D path = new Path2D.Double();
        switch (digit) {
            case 0 -> path.append(new Ellipse2D.Double(0, 0, 1, 1), false);
            case 1 -> lines(path, 0.2, 0.2, 0.6, 0, 0.6, 1);
            case 2 -> {
                path.append(new Arc2D.Double(0, 0, 1, 0.55, 170, -190, Arc2D.OPEN), false);
                path.lineTo(0, 1);
                path.lineTo(1, 1);
            }
            case 3 -> {
                path.append(new Arc2D.Double(0.05, 0, 0.9, 0.48, 160, -250, Arc2D.OPEN), false);
                path.append(new Arc2D.Double(0, 0.48, 1, 0.52, 90, -250, Arc2D.OPEN), false);
            }
            case 4 -> lines(path, 0.75, 1, 0.75, 0, 0, 0.68, 1, 0.68);
            case 5 -> {
                lines(path, 0.9, 0, 0.1, 0, 0.05, 0.45);
                path.append(new Arc2D.Double(0, 0.38, 1, 0.62, 140, -285, Arc2D.OPEN), true);
            }
            case 6 -> {
                path.append(new Ellipse2D.Double(0, 0.42, 1, 0.58), false);
                path.moveTo(0.75, 0);
                path.quadTo(0.05, 0.2, 0, 0.7);
            }
            case 7 -> lines(path, 0, 0, 1, 0, 0.35, 1);
            case 8 -> {
                path.append(new Ellipse2D.Double(0.08, 0, 0.84, 0.47), false);
                path.append(new Ellipse2D.Double(0, 0.47, 1, 0.53), false);
            }
            default -> {
                path.append(new Ellipse2D.Double(0, 0, 1, 0.58), false);
                path.moveTo(1, 0.3);
                path.quadTo(0.95, 0.8, 0.25, 1);
            }
        }
        return path;
    }

    private static void lines(Path2D path, double... points) {
        path.moveTo(points[0], points[1]);
        for (int i = 2; i < points.length; i += 2) {
            path.lineTo(points[i], points[i + 1]);
        }
    }

    private static byte[] png(BufferedImage image) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ImageIO.write(image, "png", out);
        return out.toByteArray();
    }
}
