package dev.varve.dist;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;

/**
 * Places the modules of a graph in layers, so that each arrow points to a lower layer. An arrow
 * over several layers has a bend in each layer between, for which the layout makes room.
 */
final class LayeredLayout {
    private static final int SWEEPS = 24;
    private static final int GAP = 28;
    private static final int BEND_WIDTH = 8;

    /** A module, or a bend of an arrow, in which case it has no name. */
    static final class Place {
        private final String name;
        private final int layer;
        private final int width;
        private final List<Place> above = new ArrayList<>();
        private final List<Place> below = new ArrayList<>();
        private double x;

        private Place(String name, int layer, int width) {
            this.name = name;
            this.layer = layer;
            this.width = width;
        }

        /** Returns the module; empty for a bend. */
        String name() {
            return name;
        }

        /** Returns the layer; 0 is the lowest one. */
        int layer() {
            return layer;
        }

        int width() {
            return width;
        }

        /** Returns the distance of the centre from the left border. */
        long x() {
            return Math.round(x);
        }

        /** Returns the ends of the arrows from here, each in the next lower layer. */
        List<Place> below() {
            return List.copyOf(below);
        }
    }

    private final List<List<Place>> layers = new ArrayList<>();

    /**
     * Makes a layout.
     *
     * @param graph graph without cycles
     * @param width width of a module
     */
    LayeredLayout(ModuleGraph graph, ToIntFunction<String> width) {
        Map<String, Place> places = new HashMap<>();
        for (String module : graph.requires().keySet()) {
            places.put(module, add(module, graph.height(module), width.applyAsInt(module)));
        }
        graph.requires()
                .forEach(
                        (module, targets) ->
                                targets.forEach(
                                        target -> join(places.get(module), places.get(target))));
        for (int sweep = 0; sweep < SWEEPS; sweep++) {
            order(sweep % 2 == 0);
        }
        layers.forEach(LayeredLayout::pack);
        for (int sweep = 0; sweep < SWEEPS; sweep++) {
            align(sweep % 2 == 0);
        }
        moveToLeftBorder();
    }

    private Place add(String name, int layer, int width) {
        while (layers.size() <= layer) {
            layers.add(new ArrayList<>());
        }
        Place place = new Place(name, layer, width);
        layers.get(layer).add(place);
        return place;
    }

    private void join(Place from, Place to) {
        Place upper = from;
        while (upper.layer > to.layer + 1) {
            Place bend = add("", upper.layer - 1, BEND_WIDTH);
            link(upper, bend);
            upper = bend;
        }
        link(upper, to);
    }

    private static void link(Place upper, Place lower) {
        upper.below.add(lower);
        lower.above.add(upper);
    }

    /** Orders each layer by the mean position of its neighbours in the layer before. */
    private void order(boolean upwards) {
        for (int step = 1; step < layers.size(); step++) {
            int layer = upwards ? step : layers.size() - 1 - step;
            List<Place> fixed = layers.get(upwards ? layer - 1 : layer + 1);
            List<Place> own = layers.get(layer);
            Map<Place, Double> wanted = new HashMap<>();
            for (Place place : own) {
                List<Place> neighbours = upwards ? place.below : place.above;
                wanted.put(
                        place,
                        neighbours.stream()
                                .mapToDouble(each -> relative(fixed, each))
                                .average()
                                .orElse(relative(own, place)));
            }
            own.sort(Comparator.comparingDouble(wanted::get));
        }
    }

    private static double relative(List<Place> layer, Place place) {
        return (layer.indexOf(place) + 0.5) / layer.size();
    }

    private static void pack(List<Place> layer) {
        double x = 0;
        for (Place place : layer) {
            place.x = x + place.width / 2.0;
            x += place.width + GAP;
        }
    }

    /** Moves each place towards its neighbours as far as its layer has room. */
    private void align(boolean upwards) {
        for (int step = 0; step < layers.size(); step++) {
            List<Place> layer = layers.get(upwards ? step : layers.size() - 1 - step);
            double[] wanted = layer.stream().mapToDouble(place -> wanted(place, upwards)).toArray();
            double[] fromLeft = wanted.clone();
            for (int i = 1; i < wanted.length; i++) {
                fromLeft[i] =
                        Math.max(
                                wanted[i],
                                fromLeft[i - 1] + distance(layer.get(i - 1), layer.get(i)));
            }
            double[] fromRight = wanted.clone();
            for (int i = wanted.length - 2; i >= 0; i--) {
                fromRight[i] =
                        Math.min(
                                wanted[i],
                                fromRight[i + 1] - distance(layer.get(i), layer.get(i + 1)));
            }
            for (int i = 0; i < wanted.length; i++) {
                layer.get(i).x = (fromLeft[i] + fromRight[i]) / 2;
            }
        }
    }

    private static double wanted(Place place, boolean upwards) {
        List<Place> neighbours = upwards ? place.below : place.above;
        return neighbours.stream().mapToDouble(each -> each.x).average().orElse(place.x);
    }

    private static double distance(Place left, Place right) {
        return (left.width + right.width) / 2.0 + GAP;
    }

    private void moveToLeftBorder() {
        double left =
                layers.stream()
                        .flatMap(List::stream)
                        .mapToDouble(each -> each.x - each.width / 2.0)
                        .min()
                        .orElse(0);
        layers.forEach(layer -> layer.forEach(each -> each.x -= left));
    }

    /** Returns the places of each layer from left to right, the lowest layer first. */
    List<List<Place>> layers() {
        return layers.stream().map(List::copyOf).toList();
    }

    /** Returns the distance between the left and the right border. */
    long width() {
        return Math.round(
                layers.stream()
                        .flatMap(List::stream)
                        .mapToDouble(each -> each.x + each.width / 2.0)
                        .max()
                        .orElse(0));
    }
}
