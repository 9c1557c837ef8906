package dev.varve.dist;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A picture of modules as boxes, and of what they require as arrows that point downwards. */
final class ModuleGraphSvg {
    private static final String PLUGINS = "plugin.";
    private static final int BORDER = 16;
    private static final double LETTER = 7.3;
    private static final int PADDING = 12;
    private static final int LINE = 17;
    private static final int BETWEEN = 44;
    private static final int WORDS_IN_A_LINE = 3;

    private static final String HEAD =
            """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %1$d %2$d" width="%1$d" height="%2$d" role="img">
            <title>Modules of Varve and what they require</title>
            <style>
            text { font: 12px ui-monospace, Menlo, Consolas, monospace; text-anchor: middle; fill: #1f2328; }
            rect { stroke: #59636e; }
            path { fill: none; stroke: #59636e; }
            marker path { fill: #59636e; stroke: none; }
            .paper { fill: #ffffff; stroke: none; }
            .api { fill: #ddf4ff; }
            .platform { fill: #f6f8fa; }
            .plugin { fill: #dafbe1; }
            .contracts { fill: #fff8c5; }
            </style>
            <defs><marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0 8 4 0 8z"/></marker></defs>
            <rect class="paper" width="%1$d" height="%2$d"/>
            """;

    private final ModuleGraph graph;
    private final LayeredLayout layout;
    private final StringBuilder text = new StringBuilder();

    private ModuleGraphSvg(ModuleGraph graph) {
        this.graph = graph;
        layout = new LayeredLayout(graph.reduced().grouped(PLUGINS), this::width);
    }

    /** Draws a graph: the plugins share a box, since each requires the API alone. */
    static String of(ModuleGraph graph) {
        return new ModuleGraphSvg(graph).draw();
    }

    private String draw() {
        List<List<LayeredLayout.Place>> layers = layout.layers();
        int height = top(-1) - BETWEEN + BORDER;
        text.append(String.format(Locale.ROOT, HEAD, layout.width() + 2 * BORDER, height));
        for (List<LayeredLayout.Place> layer : layers) {
            layer.forEach(this::arrows);
        }
        for (List<LayeredLayout.Place> layer : layers) {
            layer.stream().filter(each -> !each.name().isEmpty()).forEach(this::box);
        }
        return text.append("</svg>\n").toString();
    }

    private List<String> lines(String module) {
        if (!module.equals(PLUGINS)) {
            return List.of(module);
        }
        List<String> lines = new ArrayList<>(List.of(PLUGINS + "…"));
        String[] words = graph.names(PLUGINS).split(" ");
        for (int i = 0; i < words.length; i += WORDS_IN_A_LINE) {
            lines.add(
                    String.join(
                            " ",
                            List.of(words)
                                    .subList(i, Math.min(words.length, i + WORDS_IN_A_LINE))));
        }
        return lines;
    }

    private int width(String module) {
        int letters = lines(module).stream().mapToInt(String::length).max().orElse(0);
        return (int) Math.ceil(letters * LETTER) + 2 * PADDING;
    }

    private int height(LayeredLayout.Place place) {
        return place.name().isEmpty() ? 0 : lines(place.name()).size() * LINE + PADDING;
    }

    private int height(int layer) {
        return layout.layers().get(layer).stream().mapToInt(this::height).max().orElse(0);
    }

    /** Returns the upper border of a layer; the highest layer is at the top. */
    private int top(int layer) {
        int top = BORDER;
        for (int above = layout.layers().size() - 1; above > layer; above--) {
            top += height(above) + BETWEEN;
        }
        return top;
    }

    private void box(LayeredLayout.Place place) {
        List<String> lines = lines(place.name());
        int top = top(place.layer());
        add(
                "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"4\"/>",
                place.name().split("\\.")[0],
                BORDER + place.x() - place.width() / 2,
                top,
                place.width(),
                height(place));
        for (int i = 0; i < lines.size(); i++) {
            add(
                    "<text x=\"%d\" y=\"%d\">%s</text>",
                    BORDER + place.x(), top + PADDING / 2 + LINE * i + LINE - 5, lines.get(i));
        }
    }

    /** Draws the arrows that leave a module, each through its bends to its end. */
    private void arrows(LayeredLayout.Place from) {
        if (from.name().isEmpty()) {
            return;
        }
        for (LayeredLayout.Place next : from.below()) {
            StringBuilder path = new StringBuilder();
            LayeredLayout.Place upper = from;
            int y = top(from.layer()) + height(from.layer());
            path.append("M")
                    .append(BORDER + from.x())
                    .append(' ')
                    .append(top(from.layer()) + height(from))
                    .append(" V")
                    .append(y);
            LayeredLayout.Place lower = next;
            while (true) {
                int end = top(lower.layer());
                curve(path, BORDER + upper.x(), y, BORDER + lower.x(), end);
                if (!lower.name().isEmpty()) {
                    break;
                }
                y = end + height(lower.layer());
                path.append(" V").append(y);
                upper = lower;
                lower = lower.below().getFirst();
            }
            add("<path d=\"%s\" marker-end=\"url(#head)\"/>", path);
        }
    }

    private static void curve(StringBuilder path, long fromX, int fromY, long toX, int toY) {
        int middle = (fromY + toY) / 2;
        path.append(
                String.format(
                        Locale.ROOT, " C%d %d %d %d %d %d", fromX, middle, toX, middle, toX, toY));
    }

    private void add(String format, Object... values) {
        text.append(String.format(Locale.ROOT, format, values)).append('\n');
    }
}
