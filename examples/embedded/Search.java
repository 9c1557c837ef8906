import dev.varve.embedded.*;

void main(String[] arguments) {
    var notes = List.of("The door code of the harbour is 4821.", "Bread is baked on Fridays.");
    try (Embedder model = Embedder.open(Path.of(arguments[0]))) {
        var vectors = model.embed(notes).vectors();
        float[] question = model.embed("What is the code of the harbour?");
        var best = Collections.max(notes, Comparator.comparing(
                note -> similarity(question, vectors.get(notes.indexOf(note)))));
        IO.println(best);
    }
}

/** The cosine, since the vectors have the length 1. */
double similarity(float[] a, float[] b) {
    return IntStream.range(0, a.length).mapToDouble(i -> a[i] * b[i]).sum();
}
