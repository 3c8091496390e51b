package shop;

class Tools {
    static int twice(int n) { return n * 2; }

    static int half(int n) { return n / 2; }

    static class Inner {
        static void deep() { twice(1); } // -> Tools.twice
    }
}
