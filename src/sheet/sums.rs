//! What the numbers of data rows add up to, column by column, and whether another row tells just that.

use super::totals_word::Figure;

/// Sums, counts and extremes of the rows so far.
#[derive(Debug, Default)]
pub(super) struct Sums {
    pub rows: u64,
    columns: Vec<Column>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Column {
    sum: f64,
    count: u64,
    least: f64,
    most: f64,
}

impl Column {
    fn add(&mut self, x: f64) {
        (self.least, self.most) = if self.count == 0 { (x, x) } else { (self.least.min(x), self.most.max(x)) };
        self.sum += x;
        self.count += 1;
    }

    fn figure(&self, figure: Figure) -> f64 {
        match figure {
            Figure::Sum => self.sum,
            Figure::Mean => self.sum / self.count.max(1) as f64,
            Figure::Least => self.least,
            Figure::Most => self.most,
            Figure::Count => self.count as f64,
        }
    }
}

impl Sums {
    /// Takes the numbers of one row.
    pub fn add(&mut self, numbers: impl ExactSizeIterator<Item = Option<f64>>) {
        self.rows += 1;
        if self.columns.len() < numbers.len() {
            self.columns.resize(numbers.len(), Column::default());
        }
        for (column, number) in self.columns.iter_mut().zip(numbers) {
            number.into_iter().for_each(|x| column.add(x));
        }
    }

    pub fn clear(&mut self) {
        self.rows = 0;
        self.columns.fill(Column::default());
    }

    /// At least half of a row's numbers, and one that is not zero, are the figures of their columns.
    pub fn agree(&self, numbers: &[Option<f64>], figure: Figure) -> bool {
        let pairs = || numbers.iter().zip(&self.columns).filter_map(|(n, column)| n.map(|n| (n, column)));
        let same = |n: f64, column: &Column| is_same(n, column.figure(figure), figure);
        let equal = pairs().filter(|(n, column)| same(*n, column)).count();
        let telling = pairs().any(|(n, column)| n != 0.0 && same(n, column));
        telling && equal * 2 >= pairs().count()
    }

    /// All of a row's numbers that are not zero, and there are some, are the sums.
    pub fn equal(&self, numbers: &[Option<f64>]) -> bool {
        let numbers = numbers.iter().zip(&self.columns);
        let mut pairs = numbers.filter_map(|(n, column)| Some(((*n).filter(|n| *n != 0.0)?, column))).peekable();
        pairs.peek().is_some() && pairs.all(|(n, column)| is_same(n, column.sum, Figure::Sum))
    }
}

/// Places that a mean may be rounded to.
const MOST_PLACES: i32 = 6;

/// A mean may be rounded to the places that it shows.
fn is_same(n: f64, wanted: f64, figure: Figure) -> bool {
    let fine = 0.006_f64.max(wanted.abs() * 1e-9);
    let is_shown =
        |places: i32| (n * 10_f64.powi(places)).fract().abs().min(1.0 - (n * 10_f64.powi(places)).fract().abs()) < 1e-6;
    let tolerance = match figure {
        Figure::Mean => {
            let places = (0..MOST_PLACES).find(|places| is_shown(*places)).unwrap_or(MOST_PLACES);
            fine.max(0.5 * 10_f64.powi(-places) + 1e-9)
        }
        _ => fine,
    };
    (n - wanted).abs() <= tolerance
}
