import dev.varve.embedded.*;

void main(String[] arguments) {
    var documents = List.of("Bread is baked on Fridays.", "The harbour opens at six.");
    try (Reranker model = Reranker.open(Path.of(arguments[0]))) {
        for (ScoredDocument each : model.score("When does the harbour open?", documents).best(2)) {
            IO.println(each.probability() + " " + each.text());
        }
    }
}
