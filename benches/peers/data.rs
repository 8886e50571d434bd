//! Generated data: the same bytes on every machine.
//!
//! Goes out: `sales-ROWS.csv`, a comma-separated file of 20 columns with integers, decimals, dates, codes, and text of
//! few and of many values, in Chinese and English. Must never happen: a value that depends on time or place.

use std::fs::File;
use std::io::{BufWriter, Result, Write};
use std::path::{Path, PathBuf};

/// Labels of the columns, in order.
pub const LABELS: [&str; 20] = [
    "订单号",
    "下单日期",
    "发货时间",
    "省份",
    "城市",
    "门店",
    "客户编号",
    "客户",
    "渠道",
    "类别",
    "Product",
    "Brand",
    "状态",
    "数量",
    "单价",
    "金额",
    "折扣",
    "积分",
    "Score",
    "备注",
];

/// Values of the column 城市.
pub const CITIES: u64 = 200;
/// Values of the column 客户编号.
pub const CUSTOMERS: u64 = 100_000;
/// A word that stands in about one in forty of the cells of 备注.
pub const WORD: &str = "加急";

const PROVINCES: [&str; 20] = [
    "江苏", "浙江", "广东", "山东", "四川", "湖北", "湖南", "河南", "河北", "福建", "安徽", "江西", "陕西", "山西",
    "辽宁", "吉林", "云南", "贵州", "甘肃", "海南",
];
const HEADS: [&str; 20] = [
    "东", "西", "南", "北", "长", "安", "宁", "平", "青", "金", "银", "石", "云", "海", "清", "明", "永", "新", "太",
    "福",
];
const TAILS: [&str; 10] = ["山", "江", "河", "林", "州", "阳", "城", "港", "泉", "岭"];
const FAMILIES: [&str; 16] =
    ["王", "李", "张", "刘", "陈", "杨", "赵", "黄", "周", "吴", "徐", "孙", "胡", "朱", "高", "林"];
const CHANNELS: [&str; 5] = ["线上商城", "直营门店", "经销商", "电话订购", "团购"];
const CLASSES: [&str; 12] =
    ["家电", "数码", "服饰", "食品", "图书", "家居", "美妆", "运动", "母婴", "文具", "医药", "汽车用品"];
const NOUNS: [&str; 20] = [
    "lamp", "chair", "desk", "phone", "camera", "kettle", "jacket", "boots", "novel", "puzzle", "drill", "mirror",
    "carpet", "bottle", "racket", "helmet", "monitor", "speaker", "printer", "blender",
];
const ADJECTIVES: [&str; 15] = [
    "small", "large", "red", "blue", "green", "light", "heavy", "smart", "classic", "modern", "travel", "kids", "pro",
    "eco", "mini",
];
const STATES: [&str; 4] = ["已完成", "待发货", "已取消", "退货中"];
const REMARKS: [&str; 40] = [
    WORD,
    "客户要求",
    "周末送达",
    "发票随货",
    "包装完好",
    "赠品",
    "老客户",
    "首次购买",
    "电话联系",
    "放门卫",
    "自提",
    "拆单",
    "合并发货",
    "延期",
    "颜色更换",
    "尺寸调整",
    "价格保护",
    "会员折扣",
    "优惠券",
    "节日促销",
    "urgent",
    "fragile",
    "gift",
    "wrapped",
    "invoice",
    "reorder",
    "sample",
    "return",
    "checked",
    "pending",
    "approved",
    "priority",
    "bulk",
    "standard",
    "express",
    "insured",
    "signed",
    "office",
    "home",
    "warehouse",
];

/// A small generator (SplitMix64), so that no library's version changes the data.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len() as u64) as usize]
    }
}

/// Writes the file once; gives its path.
pub fn csv(folder: &Path, rows: u64) -> Result<PathBuf> {
    let path = folder.join(format!("sales-{rows}.csv"));
    if path.is_file() {
        return Ok(path);
    }
    let unfinished = path.with_extension("part");
    let mut out = BufWriter::with_capacity(1 << 20, File::create(&unfinished)?);
    writeln!(out, "{}", LABELS.join(","))?;
    let mut random = Random(20_240_501);
    for n in 0..rows {
        row(&mut out, n, &mut random)?;
    }
    out.into_inner().map_err(std::io::IntoInnerError::into_error)?.sync_all()?;
    std::fs::rename(&unfinished, &path)?;
    Ok(path)
}

fn row(out: &mut impl Write, n: u64, random: &mut Random) -> Result<()> {
    order(out, n, random)?;
    customer(out, random)?;
    goods(out, random)?;
    amounts(out, random)?;
    writeln!(out, "{} {} {}", random.one(&REMARKS), random.one(&REMARKS), random.one(&REMARKS))
}

fn order(out: &mut impl Write, n: u64, random: &mut Random) -> Result<()> {
    let (year, month, day) = (2022 + random.below(3), 1 + random.below(12), 1 + random.below(28));
    let (hour, minute, second) = (random.below(24), random.below(60), random.below(60));
    write!(out, "ORD-{n:08},{year}-{month:02}-{day:02},")?;
    write!(out, "{year}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02},")
}

fn customer(out: &mut impl Write, random: &mut Random) -> Result<()> {
    let city = random.below(CITIES) as usize;
    let name = (HEADS[city / TAILS.len()], TAILS[city % TAILS.len()]);
    let customer = random.below(CUSTOMERS);
    let family = FAMILIES[(customer % 16) as usize];
    let (given, last) = (HEADS[(customer / 16 % 20) as usize], TAILS[(customer / 320 % 10) as usize]);
    write!(out, "{},{}{}市,", random.one(&PROVINCES), name.0, name.1)?;
    write!(out, "{}{}{}号店,C-{customer:06},{family}{given}{last},", name.0, name.1, 1 + random.below(20))?;
    write!(out, "{},", random.one(&CHANNELS))
}

fn goods(out: &mut impl Write, random: &mut Random) -> Result<()> {
    write!(out, "{},{} {},", random.one(&CLASSES), random.one(&ADJECTIVES), random.one(&NOUNS))?;
    write!(out, "Brand {},{},", (b'A' + random.below(26) as u8) as char, random.one(&STATES))
}

fn amounts(out: &mut impl Write, random: &mut Random) -> Result<()> {
    let (count, cents) = (1 + random.below(50), 100 + random.below(99_900));
    let total = count * cents;
    write!(out, "{count},{}.{:02},{}.{:02},", cents / 100, cents % 100, total / 100, total % 100)?;
    write!(out, "0.{:02},", 50 + random.below(50))?;
    match random.below(20) {
        0 => write!(out, ",")?,
        _ => write!(out, "{},", random.below(10_000))?,
    }
    write!(out, "{}.{:03},", random.below(100), random.below(1_000))
}
